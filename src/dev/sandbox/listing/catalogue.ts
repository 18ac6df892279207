export interface Category {
  /** Without `categories/gcid:`. */
  id: string;
  displayName: string;
  /** Businesses that may define free-form services. */
  isService: boolean;
  serves: 'food' | 'goods' | 'services';
  serviceTypes: { serviceTypeId: string; displayName: string }[];
}

const type = (id: string, displayName: string): Category['serviceTypes'][number] => ({
  serviceTypeId: `job_type_id:${id}`,
  displayName,
});
const category = (
  id: string,
  displayName: string,
  [serves, serviceTypes = []]: [Category['serves'], Category['serviceTypes']?],
): Category => ({ id, displayName, serves, isService: serves === 'services', serviceTypes });

export const categories: Category[] = [
  category('garden_center', 'Garden center', ['goods', [type('pruning', 'Pruning'), type('planting', 'Planting')]]),
  category('plant_nursery', 'Plant nursery', ['goods', [type('planting', 'Planting')]]),
  category('landscaper', 'Landscaper', ['services', [type('pruning', 'Pruning'), type('lawn_care', 'Lawn care')]]),
  category('plumber', 'Plumber', ['services', [type('unclog_drain', 'Drain cleaning')]]),
  category('electrician', 'Electrician', ['services', [type('install_outlets', 'Outlet installation')]]),
  category('hair_salon', 'Hair salon', ['services', [type('haircut', 'Haircut')]]),
  category('clothing_store', 'Clothing store', ['goods']),
  category('hardware_store', 'Hardware store', ['goods']),
  category('cafe', 'Cafe', ['food']),
  category('restaurant', 'Restaurant', ['food']),
  category('bakery', 'Bakery', ['food']),
];

/** Finds a category by a name such as `categories/gcid:cafe`. */
export const categoryOf = (name: unknown): Category | undefined =>
  categories.find(({ id }) => name === `categories/gcid:${id}`);

export const showCategory = ({ id, displayName, serviceTypes }: Category, view: string): object => ({
  name: `categories/gcid:${id}`,
  displayName,
  ...(view === 'FULL' && serviceTypes.length > 0 && { serviceTypes }),
  ...(view === 'FULL' && { moreHoursTypes: [{ hoursTypeId: 'PICKUP', displayName: 'Pickup' }] }),
});

export interface AttributeKind {
  id: string;
  valueType: 'BOOL' | 'ENUM' | 'URL' | 'REPEATED_ENUM';
  displayName: string;
  group: string;
  values: string[];
  isDeprecated: boolean;
  /** Omitted if available to any business. */
  only?: Category['serves'];
}

const kind = (
  id: string,
  valueType: AttributeKind['valueType'],
  [displayName, group, ...values]: [string, string, ...string[]],
): AttributeKind => ({ id, valueType, displayName, group, values, isDeprecated: false });

export const attributeKinds: AttributeKind[] = [
  kind('has_delivery', 'BOOL', ['Delivery', 'Service options']),
  kind('has_curbside_pickup', 'BOOL', ['Curbside pickup', 'Service options']),
  kind('has_in_store_shopping', 'BOOL', ['In-store shopping', 'Service options']),
  kind('has_wheelchair_accessible_entrance', 'BOOL', ['Wheelchair accessible entrance', 'Accessibility']),
  kind('has_restroom', 'BOOL', ['Restroom', 'Amenities']),
  kind('wi_fi', 'ENUM', ['Wi-Fi', 'Amenities', 'free_wi_fi', 'paid_wi_fi', 'no_wi_fi']),
  kind('pay_credit_card_types_accepted', 'REPEATED_ENUM', [
    'Credit cards',
    'Payments',
    'visa',
    'mastercard',
    'american_express',
    'jcb',
  ]),
  kind('url_menu', 'URL', ['Menu link', 'Place page URLs']),
  kind('url_text_messaging', 'URL', ['Text messaging', 'Place page URLs']),
  kind('url_appointment', 'URL', ['Appointment links', 'Place page URLs']),
  { ...kind('serves_breakfast', 'BOOL', ['Breakfast', 'Dining options']), only: 'food' },
  { ...kind('serves_coffee', 'BOOL', ['Coffee', 'Offerings']), only: 'food' },
  { ...kind('has_online_estimates', 'BOOL', ['Online estimates', 'Service options']), only: 'services' },
  { ...kind('requires_masks_staff', 'BOOL', ['Staff wear masks', 'Health and safety']), isDeprecated: true },
];

export const showAttributeKind = ({
  id,
  valueType,
  displayName,
  group,
  values,
  isDeprecated,
}: AttributeKind): object => ({
  parent: `attributes/${id}`,
  valueType,
  displayName,
  groupDisplayName: group,
  ...(values.length > 0 && { valueMetadata: values.map((value) => ({ value, displayName: value })) }),
  ...(valueType === 'REPEATED_ENUM' && { repeatable: true }),
  ...(isDeprecated && { deprecated: true }),
});
