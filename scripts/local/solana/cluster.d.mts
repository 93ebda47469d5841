import type { LiteSVM } from 'litesvm';

export declare class SolanaCluster {
  readonly svm: LiteSVM;
  advance(): bigint;
  skipSlots(slots: number): void;
}
