import { isApplicationFrozen } from '../../../limits/is-frozen.js';
import { LAPSED_REASON, MAX_TRIED } from '../bundles/due-operations.js';

/** A freeze that operators end within this time cancels nothing. */
const MIN_FROZEN = `interval '1 minute'`;

/** SQL condition: nothing tries the operation any more, or not while its application is frozen, and it keeps its nonce. */
export const isGivenUp = (o: string): string =>
  `(${o}.reason IS NOT DISTINCT FROM '${LAPSED_REASON}' OR ${isApplicationFrozen(`${o}.client_id`)})`;

/**
 * SQL condition: the application of a refused request wants the nonce of the operation, which is given up. A request that was refused
 * before the operation lapsed, or during a freeze that has ended, wants nothing any more.
 */
export const isWanted = (o: string): string => `(
  (${isApplicationFrozen(`${o}.wanted_by`)}) IS NOT TRUE
  AND ((${o}.reason = '${LAPSED_REASON}' AND ${o}.wanted_at >= ${o}.accepted_at + ${MAX_TRIED}) OR EXISTS (
    SELECT FROM account_kit.freezes WHERE scope = 'application' AND subject = ${o}.client_id AND frozen_at <= ${o}.wanted_at)))`;

/** SQL of the operations of a lane that come after `o` and that something still tries, in any order, without those of frozen applications. */
const laterOperations = (o: string): string => `
  account_kit.user_operations AS later
  WHERE later.account_id = ${o}.account_id AND later.chain_id = ${o}.chain_id AND later.nonce_key = ${o}.nonce_key
    AND later.nonce_sequence > ${o}.nonce_sequence AND later.kind <> 'cancellation'
    AND later.state IN ('accepted', 'signed', 'submitted', 'stuck') AND later.reason IS DISTINCT FROM '${LAPSED_REASON}'
    AND (${isApplicationFrozen('later.client_id')}) IS NOT TRUE`;

/** SQL of an application and those whose operations wait behind the operation, which take its nonce if the first one may not. */
export const firstOf = (client: string, o: string): string => `(ARRAY[${client}] || ARRAY(
  SELECT later.client_id FROM ${laterOperations(o)} AND later.client_id <> ${client}
  GROUP BY later.client_id ORDER BY min(later.nonce_sequence)))`;

/**
 * SQL of the client applications that want the nonce of an operation which is given up, the one that has waited longest first: those whose
 * operations wait behind it, and the one of which an operation was refused because of it. Empty while nobody wants it, and for the first
 * minute of a freeze if only that is why.
 */
export const wantedBy = (o: string): string => `ARRAY(
  SELECT wanting.client_id FROM (
    SELECT later.client_id, later.accepted_at AS since FROM ${laterOperations(o)}
    UNION ALL SELECT ${o}.wanted_by, ${o}.wanted_at WHERE ${isWanted(o)}) AS wanting
  WHERE wanting.client_id IS NOT NULL
    AND (${o}.reason IS NOT DISTINCT FROM '${LAPSED_REASON}' OR EXISTS (
      SELECT FROM account_kit.freezes WHERE scope = 'application' AND subject = ${o}.client_id AND frozen_at <= now() - ${MIN_FROZEN}))
  GROUP BY wanting.client_id ORDER BY min(wanting.since))`;
