/**
 * @typedef {object} Panel
 * @property {string} title
 * @property {string} query PromQL; `$app` is the app of the dashboard
 * @property {string} legend
 * @property {string} unit of Grafana
 */

/** @param {string} title @param {string} query @returns {Panel} */
const panel = (title, query, legend = '', unit = 'short') => ({ title, query, legend, unit });

const COMMON = [
  panel(
    'Requests',
    'sum by (status) (rate(http_request_duration_seconds_count{service="$app"}[5m]))',
    '{{status}}',
    'reqps',
  ),
  panel(
    'Duration, 95th percentile',
    'histogram_quantile(0.95, sum by (le, operation) (rate(http_request_duration_seconds_bucket{service="$app"}[5m])))',
    '{{operation}}',
    's',
  ),
  panel('Memory', 'process_resident_memory_bytes{service="$app"}', '{{pod}}', 'bytes'),
  panel(
    'Event loop delay, 99th percentile',
    'nodejs_eventloop_lag_p99_seconds{service="$app"}',
    '{{pod}}',
    's',
  ),
];

const OUTBOX = [
  panel('Oldest job in the outbox', 'max(outbox_oldest_seconds{service="$app"})', 'age', 's'),
  panel('Outbox rows', 'max by (state) (outbox_rows{service="$app"})', '{{state}}'),
];

const QUEUES = [
  panel('Jobs that wait', 'max by (queue) (queue_jobs{service="$app",state="waiting"})', '{{queue}}'),
];

/** @type {Record<string, Panel[]>} Panels by app. */
export const DASHBOARDS = {
  gateway: [
    ...COMMON,
    panel('Requests in flight', 'gateway_requests_in_flight', '{{pod}}'),
    panel('Requests shed', 'sum(rate(gateway_requests_shed_total[5m]))', 'shed', 'reqps'),
    panel('Staleness of the revocation feed', 'max(gateway_revocation_feed_staleness_seconds)', 'age', 's'),
    panel('Staleness of token keys', 'max(gateway_token_keys_staleness_seconds)', 'age', 's'),
    panel(
      'Failures of the counter store',
      'sum(rate(gateway_counter_store_failures_total[5m]))',
      'failures',
      'ops',
    ),
    panel('Bytes of request bodies', 'gateway_request_body_bytes', '{{pod}}', 'bytes'),
  ],
  identity: [...COMMON, ...QUEUES, ...OUTBOX],
  'token-gating': [
    ...COMMON,
    panel('Checks', 'sum(rate(token_gating_checks_total[5m]))', 'checks', 'ops'),
    panel('Rules by verdict', 'sum by (verdict) (rate(token_gating_rules_total[5m]))', '{{verdict}}', 'ops'),
    panel('Nodes that are up', 'sum by (chain) (chain_node_state{state="up"})', '{{chain}}'),
    panel(
      'Batches of reads, 95th percentile',
      'histogram_quantile(0.95, sum by (le, chain, lane) (rate(chain_batch_duration_seconds_bucket[5m])))',
      '{{chain}} {{lane}}',
      's',
    ),
    panel('Reads rejected', 'sum(rate(chain_reads_rejected_total[5m]))', 'reads', 'ops'),
    panel('Contracts in quarantine', 'max by (chain) (chain_quarantined_contracts)', '{{chain}}'),
    panel('Callbacks due', 'max(callbacks_due)', 'due'),
    panel('Callback attempts', 'sum by (outcome) (rate(callback_attempts_total[5m]))', '{{outcome}}', 'ops'),
    ...QUEUES,
    ...OUTBOX,
  ],
  'account-kit': [
    ...COMMON,
    panel(
      'Oldest user operation',
      'max by (chain, state) (account_kit_oldest_operation_seconds)',
      '{{chain}} {{state}}',
      's',
    ),
    panel(
      'Transactions that executors can pay for',
      'min by (chain, executor) (account_kit_executor_affordable_bundles)',
      '{{chain}} {{executor}}',
    ),
    panel('Blocked nonces', 'max by (chain) (account_kit_blocked_nonces)', '{{chain}}'),
    panel(
      'Waiting user operations',
      'max by (chain, reason) (account_kit_waiting_operations)',
      '{{chain}} {{reason}}',
    ),
    panel(
      'Nonces given up',
      'sum by (chain, reason) (increase(account_kit_given_up_nonces_total[1h]))',
      '{{chain}} {{reason}}',
    ),
    panel('Held fee bumps', 'sum by (chain) (rate(account_kit_held_bumps_total[5m]))', '{{chain}}', 'ops'),
    panel(
      'Unpaid cost of executors in coins',
      'sum by (chain) (increase(account_kit_executor_cost_coins_total[1h])) - sum by (chain) (increase(account_kit_executor_reimbursed_coins_total[1h]))',
      '{{chain}}',
    ),
    panel(
      'Blocks that the search for operations is behind',
      'max by (chain) (account_kit_inclusion_lag_blocks)',
      '{{chain}}',
    ),
    panel(
      'Oldest Solana transaction',
      'max by (network, state) (account_kit_oldest_solana_transaction_seconds)',
      '{{network}} {{state}}',
      's',
    ),
    panel(
      'Lamports of Solana sponsors',
      'min by (network, sponsor) (account_kit_solana_sponsor_lamports)',
      '{{network}} {{sponsor}}',
    ),
    panel('Custom actions', 'sum by (outcome) (rate(custom_actions_total[5m]))', '{{outcome}}', 'ops'),
    ...QUEUES,
    ...OUTBOX,
  ],
  analytics: [
    ...COMMON,
    panel('Events stored', 'sum(rate(analytics_events_stored_total[5m]))', 'events', 'ops'),
    panel(
      'Events dropped',
      'sum by (reason) (rate(analytics_events_dropped_total[5m]))',
      '{{reason}}',
      'ops',
    ),
    ...QUEUES,
  ],
};

/** @type {Panel[]} The whole suite on one page. */
export const SUITE = [
  panel(
    'Requests',
    'sum by (service) (rate(http_request_duration_seconds_count[5m]))',
    '{{service}}',
    'reqps',
  ),
  panel(
    'Share of 5xx',
    'sum by (service) (rate(http_request_duration_seconds_count{status=~"5.."}[5m])) / sum by (service) (rate(http_request_duration_seconds_count[5m]))',
    '{{service}}',
    'percentunit',
  ),
  panel('Memory', 'sum by (service) (process_resident_memory_bytes)', '{{service}}', 'bytes'),
  panel('CPU', 'sum by (service) (rate(process_cpu_seconds_total[5m]))', '{{service}}', 'short'),
  panel('Jobs that wait', 'max by (queue) (queue_jobs{state="waiting"})', '{{queue}}'),
  panel('Queue backend', 'min by (service) (queue_backend_usable)', '{{service}}'),
  panel('Oldest job in the outbox', 'max by (service) (outbox_oldest_seconds)', '{{service}}', 's'),
  panel('Log lines dropped', 'sum by (service) (rate(log_lines_dropped_total[5m]))', '{{service}}', 'ops'),
];
