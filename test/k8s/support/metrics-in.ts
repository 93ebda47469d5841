/** The metrics that a query reads: words with an underscore, which functions of PromQL and labels here lack. */
export const listMetricsIn = (query: string): string[] =>
  (query.replaceAll(/"[^"]*"/g, '').match(/\b[a-z0-9]+(?:_[a-z0-9]+)+\b/g) ?? []).filter(
    (word) => word !== 'histogram_quantile',
  );
