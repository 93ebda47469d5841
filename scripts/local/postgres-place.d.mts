export interface PostgresPlace {
  /** Folder with `bin/postgres`. */
  server: string;
  version: string;
  home: string;
  /** Set for root. */
  user?: { name: string; uid: number; gid: number };
}

export declare function placePostgres(root: string, wantedHome: string): PostgresPlace;
export declare function elsewhereFor(root: string): string;
