export interface RunRecord {
  pid: number;
  start: string;
  since: string;
  gatewayUrl?: string;
  databaseUrl?: string;
  children: { name: string; pid: number; start: string }[];
}

export declare function takeRunLock(file: string):
  | { other: RunRecord }
  | {
      leftover: RunRecord | undefined;
      update: (part: Partial<RunRecord>) => void;
      release: () => void;
    };
