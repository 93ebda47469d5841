export declare const imageTargets: string[];
