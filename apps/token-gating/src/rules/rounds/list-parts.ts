import type { ChainPart, ReadPlan } from '../rule-type.js';

/** The reads of a plan or a step by chain, in order. @param chainId of the rule */
export const listParts = (
  { reads, parts }: Pick<ReadPlan, 'reads' | 'parts'>,
  chainId: number,
): readonly ChainPart[] => parts ?? [{ chainId, start: 0, end: reads.length }];
