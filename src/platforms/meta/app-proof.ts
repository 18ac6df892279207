import { createHmac } from 'node:crypto';

/** Proves that a call comes from the app that the token was issued to; apps can be set to require it. */
export const appProof = (token: string, clientSecret: string | undefined): { appsecret_proof?: string } =>
  clientSecret ? { appsecret_proof: createHmac('sha256', clientSecret).update(token).digest('hex') } : {};
