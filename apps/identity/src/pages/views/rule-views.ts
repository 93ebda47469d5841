import type { PortalCatalogue } from '@app/dto';
import type { ConditionForm } from '../rules/condition-form.js';
import type { RuleMark } from '../rules/create-mark.js';
import type { RuleWords } from '../rules/rule-sentence.js';
import type { CommunityTabsView } from './community-views.js';

interface RulePageView {
  tabs: CommunityTabsView;
  /** The path of the rules. */
  rulesPath: string;
}

interface RoleChoice {
  id: string;
  name: string;
}

interface CollectionChoice {
  /** Chain and address. */
  value: string;
  name: string;
  chainName: string;
  address: string;
  mark: RuleMark;
}

/** The page of all rules. */
interface RuleListView extends RulePageView {
  /** The page on which roles are made. */
  rolesPath: string;
  canChange: boolean;
  /** Whether an approved application is attached, so that transfers are followed. */
  hasApplication: boolean;
  /** How roles follow what wallets hold. */
  following: string;
  /** What holds without one; absent where rules need one. */
  limits: PortalCatalogue['withoutApplication'];
  roles: {
    name: string;
    /** `#rrggbb`; empty for none. */
    color: string;
    newPath: string;
    rules: {
      words: RuleWords;
      /** The words in one line. */
      line: string;
      /** Absent for a rule that the forms would have to simplify. */
      changePath?: string;
      removePath: string;
    }[];
  }[];
}

/** The first step: who gets the role is found by a link, an address or a name. */
interface RuleStartView extends RulePageView {
  draft: string;
  roles: RoleChoice[];
  roleId: string;
  /** Whether a condition is added to a rule that has some. */
  isAnother: boolean;
  link: string;
  /** A sentence with names that the field takes. */
  nameExamples: string;
  problems: Record<string, string>;
  /** Chains to choose from for an address that names none. */
  chains: { id: number; name: string }[];
  /** Several collections of one name. */
  collections: CollectionChoice[];
  /** Collections of the deployment's own, which are offered before anything is typed. */
  suggestions: CollectionChoice[];
  /** A collection that OpenSea can be asked about. */
  openSeaSlug?: string;
  coins: { id: number; text: string }[];
}

/** The second step: how much of it. */
interface RuleConditionView extends RulePageView {
  draft: string;
  /** The index of the condition that is changed. */
  at?: number;
  form: ConditionForm;
  problems: Record<string, string>;
  subject: {
    title: string;
    kind: string;
    chainName: string;
    address: string;
    /** The deployment itself knows it by name. */
    isOwn: boolean;
    mark: RuleMark;
  };
  types: { value: string; text: string }[];
  hasAmounts: boolean;
  hasTokenIds: boolean;
  unit: string;
}

interface TryResult {
  address: string;
  shortAddress: string;
  /** The ENS name that was typed in place of the address. */
  name?: string | undefined;
  verdict: 'yes' | 'no' | 'unknown';
  reasons: { isMet: boolean | null; condition: string; sentence: string }[];
}

/** The third step: the rule in words, trying it, and saving it. */
interface RuleReviewView extends RulePageView {
  draft: string;
  isNew: boolean;
  roles: RoleChoice[];
  roleId: string;
  roleName: string;
  words: RuleWords;
  conditions: { words: RuleWords; changePath?: string; problem?: string }[];
  canAdd: boolean;
  mode: string;
  modes: { value: string; text: string }[];
  count: number;
  /** What others have changed since the draft began. */
  changes?: { added: { roleName: string; words: RuleWords }[]; removedCount: number; isGone: boolean };
  /** What did not happen, where something was refused. */
  refused?: string;
  problems: string[];
  /** Whether the rule asks for nothing. */
  isMetByEverybody: boolean;
  addresses: string;
  addressProblems: string[];
  results: TryResult[];
  maxAddresses: number;
  /** Whether ENS names may stand in place of addresses. */
  takesNames: boolean;
}

interface RuleRemovalView extends RulePageView {
  /** The rule among the others. */
  mark: string;
  roleName: string;
  words: RuleWords;
  /** Who may lose the role. */
  consequence: string;
}

/** The data of the templates of rules. */
export interface RuleViews {
  rules: RuleListView;
  'rule-start': RuleStartView;
  'rule-condition': RuleConditionView;
  'rule-review': RuleReviewView;
  'rule-removal': RuleRemovalView;
}
