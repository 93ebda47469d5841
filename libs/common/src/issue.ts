/** One reason why an input was refused. `path` is dotted: `rules.0.chainId`. */
export interface InputIssue {
  path: string;
  message: string;
}
