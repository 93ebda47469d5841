export declare const EXCEPTIONS: Readonly<Record<string, string>>;
export declare function listProductionLicences(
  root: string,
): { name: string; versions: string[]; license: string }[];
export declare function isPermitted(license: string): boolean;
export declare function licencesPage(root: string): string;
