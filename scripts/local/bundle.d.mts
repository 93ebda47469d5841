export declare const EXTERNAL_PACKAGES: readonly string[];
export declare function bundleOf(root: string, app: string, entry?: string): string;
export declare function bundleEntries(
  root: string,
  entryPoints: { in: string; out: string }[],
  outdir: string,
): Promise<object>;
export interface Metafile {
  inputs: Record<string, { imports: { path: string; external?: boolean }[] }>;
  outputs: Record<string, { entryPoint?: string }>;
}

export declare function ownInputsOf(root: string, metafile: Metafile, folder: string): string[];
export declare function copyAssets(root: string, folders: string[], bundleFolder: string): void;
