export function createDashboards(): Map<string, string>;
