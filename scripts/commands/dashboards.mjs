import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/project.mjs';
import { defineCommand } from './define-command.mjs';

export const dashboardsCommand = defineCommand({
  name: 'dashboards',
  summary: 'writes the Grafana dashboards from scripts/kubernetes/dashboard-table.mjs',
  run: async () => {
    const { createDashboards } = await import('../kubernetes/dashboards.mjs');
    for (const [file, text] of createDashboards())
      writeFileSync(join(root, 'k8s/components/monitoring/dashboards', file), text);
  },
});
