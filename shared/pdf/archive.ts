// Metadata of PDF/UA-1 (ISO 14289-1, 5) and of PDF/A-2a (ISO 19005-2, 6.6.4); pdfkit declares at most one of the two.
// PDF/A allows the properties of the other standard only if the document itself describes them (6.6.2.3).
const CLAIMS = `
        <rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
            <pdfaid:part>2</pdfaid:part>
            <pdfaid:conformance>A</pdfaid:conformance>
        </rdf:Description>
        <rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
            <pdfuaid:part>1</pdfuaid:part>
        </rdf:Description>
        <rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
            xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
            <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
                <pdfaSchema:schema>PDF/UA Universal Accessibility Schema</pdfaSchema:schema>
                <pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
                <pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
                <pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
                    <pdfaProperty:name>part</pdfaProperty:name>
                    <pdfaProperty:valueType>Integer</pdfaProperty:valueType>
                    <pdfaProperty:category>internal</pdfaProperty:category>
                    <pdfaProperty:description>Part of ISO 14289 that the document conforms to</pdfaProperty:description>
                </rdf:li></rdf:Seq></pdfaSchema:property>
            </rdf:li></rdf:Bag></pdfaExtension:schemas>
        </rdf:Description>
        `;

// sRGB as a display profile of three curves and a matrix (ICC.1:2004, version 4.2), computed from table 1 of IEC
// 61966-2-1, adapted to D50 by Bradford (annex E). Free of copyright.
export const SRGB_PROFILE: Buffer = /* @__PURE__ */ Buffer.from(
  `
  AAACJAAAAAAEIAAAbW50clJHQiBYWVogB+oACwAVAAAAAAAAYWNzcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPbWAAEAAAAA0y0A
  AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAKZGVzYwAAAPwAAAA+Y3BydAAAATwAAABMd3RwdAAA
  AYgAAAAUY2hhZAAAAZwAAAAsclhZWgAAAcgAAAAUZ1hZWgAAAdwAAAAUYlhZWgAAAfAAAAAUclRSQwAAAgQAAAAgZ1RSQwAAAgQAAAAgYlRS
  QwAAAgQAAAAgbWx1YwAAAAAAAAABAAAADGVuVVMAAAAiAAAAHABzAFIARwBCACAASQBFAEMANgAxADkANgA2AC0AMgAuADEAAG1sdWMAAAAA
  AAAAAQAAAAxlblVTAAAAMAAAABwATgBvACAAYwBvAHAAeQByAGkAZwBoAHQALAAgAHUAcwBlACAAZgByAGUAZQBsAHlYWVogAAAAAAAA9tYA
  AQAAAADTLXNmMzIAAAAAAAEMQgAABd7///MlAAAHkwAA/ZD///uh///9ogAAA9wAAMBuWFlaIAAAAAAAAG+gAAA49QAAA5BYWVogAAAAAAAA
  YpcAALeHAAAY2VhZWiAAAAAAAAAknwAAD4QAALbDcGFyYQAAAAAAAwAAAAJmZgAA8qcAAA1ZAAAT0AAACls=
  `,
  'base64',
);

interface WithCatalog {
  readonly _root: { readonly data: Record<string, unknown> };
}

/** Must be called before the document ends. */
export function claimConformance(doc: PDFKit.PDFDocument & WithCatalog): void {
  doc.appendXML(CLAIMS);
  const profile = doc.ref({ N: 3 });
  profile.end(SRGB_PROFILE);
  const intent = doc.ref({
    Type: 'OutputIntent',
    S: 'GTS_PDFA1',
    Info: new String('sRGB IEC61966-2.1'),
    OutputConditionIdentifier: new String('sRGB IEC61966-2.1'),
    DestOutputProfile: profile,
  });
  intent.end('');
  doc._root.data['OutputIntents'] = [intent];
}
