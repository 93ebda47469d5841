/** The parts of the error envelope that tests look at. */
export interface Envelope {
  error: {
    name: string;
    message: string;
    statusCode: number;
    details: { requestId: string; code?: string; issues?: { path: string; message: string }[] };
    stack: string;
  };
}

export const envelopeOf = async (response: Response): Promise<Envelope['error']> =>
  ((await response.json()) as Envelope).error;
