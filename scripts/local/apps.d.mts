export interface App {
  name: string;
  /** Prefix of its variables: `<variable>_PORT`, `<variable>_URL`. */
  variable: string;
  port: number;
  managementPort: number;
}

export declare const apps: App[];
