import type { PostgresPlace } from './postgres-place.mjs';

export declare function prepareCluster(
  place: PostgresPlace,
  run: (
    command: string,
    args: string[],
    options: { cwd: string; uid: number | undefined; gid: number | undefined },
  ) => Promise<unknown>,
  initFlags?: string[],
): Promise<{ data: string; password: string }>;
