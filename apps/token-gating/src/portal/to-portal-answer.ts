import type { Principal } from '@app/auth';
import {
  EXPLANATIONS,
  type PortalExplanation,
  type PortalMemberCheckResponse,
  type PortalRoleVerdict,
  type TokenGatingExplanation,
  type TokenGatingResponse,
} from '@app/dto';

/** The signed-in user alone, without a client application: what access to communities is decided by. */
export const toUserPrincipal = (id: string): Principal => ({ kind: 'caller', user: { id }, scopes: [] });

const toPortalExplanation = (explanation: TokenGatingExplanation): PortalExplanation => ({
  ...explanation,
  sentence: EXPLANATIONS[explanation.code].sentence,
});

/** An undetermined role has an error. In the answer about a member it keeps the state that is stored, which does not count here. */
const toPortalVerdicts = ({ roles = [], errors = [] }: TokenGatingResponse): PortalRoleVerdict[] => {
  const undetermined = new Set(errors.map(({ roleId }) => roleId));
  return roles.map(({ id, granted }) => ({ id, granted: undetermined.has(id) ? null : granted }));
};

/** The answer of a check as pages show it. */
export const toPortalAnswer = (response: TokenGatingResponse): PortalMemberCheckResponse => ({
  roles: toPortalVerdicts(response),
  explanations: (response.explanations ?? []).map(toPortalExplanation),
});
