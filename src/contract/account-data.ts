/** An ad account as its platform reports it; stored with accounts and orders. */
export interface AdAccount {
  id: string;
  name: string;
  currency: string;
  timezone?: string;
  /** The minimum daily budget in whole currency units, if the platform reports it. */
  minDailyBudget?: number;
  /** Who benefits and who pays by default, in the EU. */
  dsaBeneficiary?: string;
  dsaPayor?: string;
  isActive: boolean;
  /** The status as the platform reports it. */
  status?: string;
  /** The reason for a restriction, as the platform reports it. */
  statusReason?: string;
  /** The manager account used to access it. */
  managerId?: string;
  /** The organisation that owns it. */
  organizationId?: string;
}

/** State that an adapter keeps on an account: what earlier calls found or created at the platform. */
export interface PlatformState {
  /** The default board of pins. */
  boardId?: string;
  /** Custom identities by ad account. */
  identities?: Record<string, { id: string; name: string }>;
  /** The posting identity of the connected user. */
  userIdentityId?: string;
}
