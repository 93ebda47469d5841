export interface ImageOptions {
  tool: string;
  targets: string[];
  registry?: string;
  tag?: string;
  platform?: string;
  nodeImage?: string;
  env?: NodeJS.ProcessEnv;
}

export function parseImageOptions(args: string[], env: NodeJS.ProcessEnv): ImageOptions;
