export declare const root: string;
export declare const local: string;
export declare const logs: string;
