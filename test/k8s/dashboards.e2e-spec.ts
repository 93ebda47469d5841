import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DASHBOARDS, SUITE } from '../../scripts/kubernetes/dashboard-table.mjs';
import { createDashboards } from '../../scripts/kubernetes/dashboards.mjs';
import { apps } from '../../scripts/suite/apps.mjs';
import { root } from '../../scripts/build/project.mjs';
import { leaseEveryApp, type RunningSuite } from '../support/running-suite.js';
import { listMetricsIn } from './support/metrics-in.js';

describe('the dashboards', () => {
  let suite: RunningSuite;
  beforeAll(async () => {
    suite = await leaseEveryApp();
  });

  const fetchMetrics = async (app: string): Promise<Set<string>> => {
    const response = await fetch(`${suite.app(app).managementUrl}/metrics`);
    return new Set([...(await response.text()).matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name));
  };
  const listMissing = (queries: string[], exposed: Set<string>): string[] =>
    queries
      .flatMap(listMetricsIn)
      .filter((metric) => !exposed.has(metric) && !exposed.has(metric.replace(/_(?:bucket|count|sum)$/, '')));

  it('dashboards: are what `npm run gatehouse -- dashboards` writes', () => {
    for (const [file, text] of createDashboards())
      expect(readFileSync(join(root, 'k8s/components/monitoring/dashboards', file), 'utf8')).toBe(text);
  });

  it.each(apps.map(({ name }) => name))('dashboards of %s: show metrics that it exposes', async (app) => {
    const queries = (DASHBOARDS[app] ?? []).map(({ query }) => query);
    expect(queries.flatMap(listMetricsIn).length).toBeGreaterThan(3);
    expect(listMissing(queries, await fetchMetrics(app))).toEqual([]);
  });

  it('dashboards of the suite: show metrics that some app exposes', async () => {
    const exposed = await Promise.all(apps.map(({ name }) => fetchMetrics(name)));
    const all = new Set(exposed.flatMap((names) => [...names]));
    expect(
      listMissing(
        SUITE.map(({ query }) => query),
        all,
      ),
    ).toEqual([]);
  });
});
