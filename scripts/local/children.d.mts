/** What tests use of it. */
export interface Children {
  run: (
    name: string,
    command: string,
    args: string[],
    options?: { order?: object; env?: object },
  ) => Promise<string>;
}

export declare function createChildren(options: {
  logs: string;
  onChange: () => void;
  onUnexpectedEnd: (error: Error) => void;
}): Children;
