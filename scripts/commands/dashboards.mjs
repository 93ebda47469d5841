// Writes the Grafana dashboards from scripts/kubernetes/dashboard-table.mjs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDashboards } from '../kubernetes/dashboards.mjs';
import { root } from '../build/project.mjs';

for (const [file, text] of createDashboards())
  writeFileSync(join(root, 'k8s/components/monitoring/dashboards', file), text);
