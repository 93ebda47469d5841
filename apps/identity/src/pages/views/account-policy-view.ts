/** A field of an entry of a list. */
interface PolicyCellView {
  field: string;
  /** For screen readers: the column, the list and the row. */
  label: string;
  value: string;
  /** What can be chosen; any text where it is absent. */
  choices: Readonly<Record<string, string>> | undefined;
  problem: string | undefined;
}

export interface PolicyListView {
  name: string;
  title: string;
  hint: string;
  headings: string[];
  rows: PolicyCellView[][];
}

export interface PolicyFormView {
  /** The text of each field that is in no list. */
  fields: Readonly<Record<string, string>>;
  lists: PolicyListView[];
  /** The names of the fields that are in no list. */
  parts: Readonly<Record<string, string>>;
  networks: Readonly<Record<string, string>>;
  problems: Readonly<Record<string, string>>;
}

export interface AccountPolicyView {
  /** The client id. */
  id: string;
  hasPolicy: boolean;
  /** What applications without a policy may do. */
  defaultPolicy: 'deny' | 'open';
  /** The revision of the policy that a change is based on. */
  revision: string | undefined;
  /** Fields; undefined where the policy is shown as JSON. */
  fields: PolicyFormView | undefined;
  /** Whether the policy is too long for fields. */
  isOnlyJson: boolean;
  form: {
    document: string;
    problems: Readonly<Record<string, string>>;
    /** Names of fields with problems. */
    labels?: Readonly<Record<string, string>>;
  };
}
