export declare function toBuildCommand(
  root: string,
  target: string,
  options: { tool: string; registry?: string; tag?: string; nodeImage?: string },
  release: { version: string; revision: string },
): { name: string; args: string[] };
