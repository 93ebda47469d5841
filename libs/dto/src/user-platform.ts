import { z } from 'zod';

/** The platform that identifies a user (contract.md section 7). */
export const userPlatform = z.enum(['ethereum', 'solana', 'chat', 'microblog', 'codehost']);
export type UserPlatform = z.infer<typeof userPlatform>;
