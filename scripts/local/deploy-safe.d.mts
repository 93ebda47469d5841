export function deploySafe(options: {
  rpcUrl: string;
  root: string;
  from: string;
  owners: readonly string[];
}): Promise<string>;
