export type ProgramName =
  | 'redis-server'
  | 'chromium'
  | 'libfaketime'
  | 'tmpfs'
  | 'curl'
  | 'kubectl'
  | 'openapi-clients'
  | 'buildah'
  | 'previous-release';

export interface Program {
  find: () => string | undefined;
  remedy: string;
  package?: string;
  commands?: string[];
}

export declare const PROGRAMS: Record<ProgramName, Program>;
export declare function findProgram(name: ProgramName): string | undefined;
export declare function missingPackages(): string[];
export declare function hidePrograms(
  names: ProgramName[],
  folder: string,
  env?: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv;
