import { MonthUsage1795132800001 } from './1795132800001-month-usage.js';

export const migrations = [MonthUsage1795132800001];
