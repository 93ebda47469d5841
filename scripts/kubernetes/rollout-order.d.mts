export declare const ROLLOUT_ORDER: string[];
