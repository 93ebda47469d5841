export interface App {
  name: string;
  /** Prefix of its variables: `<variable>_PORT`, `<variable>_URL`. */
  variable: string;
  port: number;
  managementPort: number;
  inspectorPort: number;
}

export declare const apps: App[];
