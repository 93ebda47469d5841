export interface Panel {
  title: string;
  query: string;
  legend: string;
  unit: string;
}
export const DASHBOARDS: Record<string, Panel[]>;
export const SUITE: Panel[];
