export interface AltoCommand {
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
}

export declare function altoCommand(options: {
  readonly folder: string;
  readonly rpcUrl: string;
  readonly port: number;
  readonly more?: string[];
}): Promise<AltoCommand>;
