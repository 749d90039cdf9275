/**
 * Returns the digits of a telephone number without Brazil's country code and without zeros before the area code:
 * `+55 (011) 90000-0001` and `11900000001` are the same number. The area code 55 stays, since fewer digits follow it.
 */
export const nationalPhone = (phone: string): string =>
  phone.replace(/\D/g, '').replace(/^0*(?:55(?=0*[1-9]\d{9,10}$))?0*/, '');
