export declare function signInWithWallet(
  client: { gatewayUrl: string; apiKey: string; origin: string; chainId: number },
  privateKey: string,
  scopes: string[],
): Promise<string>;
