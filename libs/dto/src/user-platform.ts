import { z } from 'zod';

/** Where a user is who they are (contract.md section 7). */
export const userPlatform = z.enum(['ethereum', 'solana', 'chat', 'microblog', 'codehost']);
export type UserPlatform = z.infer<typeof userPlatform>;
