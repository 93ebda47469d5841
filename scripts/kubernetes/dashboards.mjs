import { DASHBOARDS, SUITE } from './dashboard-table.mjs';

/** @import { Panel } from './dashboard-table.mjs' */

const WIDTH = 12;
const HEIGHT = 8;

/** @returns {Map<string, string>} Grafana dashboards by file name */
export function createDashboards() {
  /** @type {Map<string, string>} */
  const dashboards = new Map();
  for (const [app, panels] of Object.entries(DASHBOARDS))
    dashboards.set(`${app}.json`, createDashboard(`gatehouse-${app}`, `Gatehouse: ${app}`, panels, app));
  return dashboards.set('suite.json', createDashboard('gatehouse', 'Gatehouse', SUITE, ''));
}

/** @param {string} uid @param {string} title @param {Panel[]} panels @param {string} app */
function createDashboard(uid, title, panels, app) {
  const dashboard = {
    uid,
    title,
    tags: ['gatehouse'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map((panel, index) => createPanel(panel, index, app)),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

/** @param {Panel} panel @param {number} index @param {string} app */
function createPanel({ title, query, legend, unit }, index, app) {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource,
    gridPos: { x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: [{ refId: 'A', datasource, expr: query.replaceAll('$app', app), legendFormat: legend }],
  };
}
