import type { ImageOptions } from './image-options.mjs';

export function buildImages(
  children: {
    runShown: (name: string, command: string, args: string[], env: NodeJS.ProcessEnv) => Promise<boolean>;
  },
  root: string,
  options: ImageOptions,
): Promise<void>;
