declare module 'swagger-client' {
  type Call = (parameters: Record<string, unknown>, options?: { requestBody?: unknown }) => Promise<{ status: number }>;

  interface Client {
    /** By tag, then by operation id. */
    apis: Record<string, Record<string, Call> | undefined>;
  }

  export default function SwaggerClient(options: {
    spec: object;
    authorizations?: Record<string, string>;
    disableInterfaces?: boolean;
  }): Promise<Client>;
}
