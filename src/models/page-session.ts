import { Schema } from 'mongoose';

/** A session of a page behind a login. A cookie without its document is invalid. */
export interface PageSessionDoc {
  /** The hash of the id in the cookie. */
  _id: string;
  apiKeyId: string;
  /** The key that the cookie is encrypted with. */
  encryptionKeyId: string;
  expiresAt: Date;
}

export const pageSessionSchema = new Schema<PageSessionDoc>(
  {
    _id: { type: String, required: true },
    apiKeyId: { type: String, required: true },
    encryptionKeyId: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { timestamps: false, versionKey: false, collection: 'page_sessions' },
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
