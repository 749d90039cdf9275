const eventId = `evt_${'a2'.repeat(16)}`;

/** An id of each form that a path of the partner API takes. */
export const IDS_BY_FORM = { number: '9007199254740991', event: eventId } as const;

/**
 * Texts that change the path, the query or the headers of a call if they are put in unchanged. None of them has the
 * form of an id.
 */
export const HOSTILE_TEXTS: readonly string[] = [
  ...['', '.', '..', '../me', '../../sandbox/reinicio?', '../../sandbox/reinicio#', '%2e%2e', '..%2Fme', '$`', '$&'],
  ...['7/../../me', '7/parcelas', '7?limit=1', '7#', '7;a=b', '7&a=b', '7\\..', '7\n', '7\r\nX-Other: 1', ' 7', '٧'],
  ...['0', '-7', '7.5', '7e3', '0x7', 'NaN', 'undefined', 'pmc_7', `${eventId}/..`, `${eventId}\n`, `${eventId}?`],
];

/** Texts that a header cannot carry unchanged. */
export const HEADER_BREAKERS: readonly string[] = [
  '→',
  'é',
  'a\nb',
  'a\r\nX-Other: 1',
  'a\u0001',
  'a\n',
  'a\t',
  '\ud800',
];

/** Texts that are not API keys. Each that could be mistaken for a key contains `S3CRET`, which nothing may print. */
export const NO_KEYS: readonly string[] = [
  ...[
    '',
    ' ',
    'S3CRET',
    '"pmc_S3CRET"',
    'Bearer pmc_S3CRET',
    'whsec_S3CRET',
    'pmc_',
    'PMC_S3CRET',
    'X-API-Key: pmc_S3CRET',
  ],
  ...[
    'pmc_S3CRET\nx',
    'pmc_S3CRET\r\nX-Other: 1',
    'pmc_S3\u0000CRET',
    'pmc_S3CRET…',
    'pmc_S3CRET\u200b',
    'pmc_S3CRETé',
  ],
  ...['pmc_S3CRET pmc_S3CRET', 'pmc_S3CRET/..', 'https://api.example/pmc_S3CRET', 'pmc_S3CRET\ud800'],
];

/**
 * Texts that are not webhook secrets. Each that could be mistaken for a secret contains `S3CRET`, which nothing may
 * print.
 */
export const NO_SECRETS: readonly string[] = [
  ...['', ' ', 'whsec_', 'whsec_ ', 'S3CRET', 'pmc_S3CRET', '"whsec_S3CRET"', 'whsec_S3CRET whsec_S3CRET', 'whsec_='],
  ...['whsec_S3CRET\nx', 'whsec_S3CRET…', 'whsec_S3CRETé', 'whsec_S3CRET\ud800', 'whsec_S3CRET==='],
];
