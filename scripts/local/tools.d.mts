import type { Children } from './children.mjs';

interface Places {
  manifests: string;
  installed: string;
}

export declare function listTools(): string[];
export declare function fetchCommand(name: string): string;
export declare function findTool(name: string, places?: Places): string | undefined;
export declare function requireTool(name: string): string;
export declare function importFromTool<T = unknown>(tool: string, packageName?: string): Promise<T>;
export declare function installTool(children: Children, name: string, places?: Places): Promise<string>;
export declare function installTools(
  children: Children,
  names: string[],
  say?: (line: string) => void,
): Promise<void>;
