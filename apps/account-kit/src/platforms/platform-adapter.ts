/** How a platform says whose token it is. */
export interface PlatformAdapter {
  /** Form of its tokens. Others are refused without a request. */
  readonly tokenPattern: RegExp;
  createRequest(token: string): { readonly path: string; readonly headers: Readonly<Record<string, string>> };
  /** The id of the user in a response, as it is; undefined if there is none. */
  findUserId(body: unknown): unknown;
}

/** Numbers above 2^53 - 1 have lost digits when they were parsed. */
export const toIdText = (id: string | number): string | undefined => {
  if (typeof id === 'string') return id;
  return Number.isSafeInteger(id) ? String(id) : undefined;
};
