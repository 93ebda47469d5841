export function parseManifests(text: string): Record<string, unknown>[];
export function formatManifests(manifests: object[]): string;
