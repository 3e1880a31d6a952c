{{- /*
What a schema cannot say, or would say by printing the value: a key that stands where its hash belongs must not come to light
in a log. All faults are told at once.
*/ -}}
{{- define "quarterdeck.checks" -}}
{{- $faults := concat (fromJsonArray (include "quarterdeck.keyFaults" .)) (fromJsonArray (include "quarterdeck.settingFaults" .)) (fromJsonArray (include "quarterdeck.secretFaults" .)) -}}
{{- if $faults -}}
{{- fail (printf "\n- %s\n" (join "\n- " $faults)) -}}
{{- end -}}
{{- end -}}

{{- /* What messages call an entry: never by a name that may be a key. */ -}}
{{- define "quarterdeck.keyLabel" -}}
{{- if or (regexMatch "qd_[0-9A-Za-z]{16}|[0-9A-Fa-f]{64}" .entry.name) (eq .entry.name .entry.hash) (eq (sha256sum .entry.name) .entry.hash) -}}
apiKeys.keys[{{ .index }}]
{{- else -}}
apiKeys.keys[{{ .index }}] ({{ .entry.name | toJson }})
{{- end -}}
{{- end -}}

{{- /* An instant in UTC on a day that exists. **Source** RFC 3339. */ -}}
{{- define "quarterdeck.instant" -}}
^(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,9})?(?:Z|[+]00:00)$
{{- end -}}

{{- define "quarterdeck.keyFaults" -}}
{{- $faults := list -}}
{{- $hashes := dict -}}
{{- $names := dict -}}
{{- range $index, $entry := .Values.apiKeys.keys -}}
{{- $label := include "quarterdeck.keyLabel" (dict "index" $index "entry" $entry) -}}
{{- if not (regexMatch "^[0-9a-f]{64}$" $entry.hash) -}}
{{- $faults = append $faults (printf "%s.hash: must be a SHA-256 in 64 lowercase hexadecimal digits, never the key itself: `quarterdeck key hash < FILE` prints it for the key in FILE" $label) -}}
{{- else if eq $entry.hash (sha256sum "") -}}
{{- $faults = append $faults (printf "%s.hash: is the hash of an empty text: `quarterdeck key hash < FILE` prints it for the key in FILE" $label) -}}
{{- else if hasKey $hashes $entry.hash -}}
{{- $faults = append $faults (printf "%s.hash: is that of %s too, and one key must not have two rules: give it a key of its own, `quarterdeck key generate` makes one and `quarterdeck key hash < FILE` prints the hash of the key in FILE" $label (get $hashes $entry.hash)) -}}
{{- else -}}
{{- $_ := set $hashes $entry.hash $label -}}
{{- end -}}
{{- if hasKey $names $entry.name -}}
{{- $faults = append $faults (printf "%s.name: is that of %s too: give each key a name of its own; one that takes the place of another needs `quarterdeck key hash < FILE` for its hash" $label (get $names $entry.name)) -}}
{{- else -}}
{{- $_ := set $names $entry.name $label -}}
{{- end -}}
{{- if and (hasKey $entry "expire") (not (regexMatch (include "quarterdeck.instant" $) $entry.expire)) -}}
{{- $faults = append $faults (printf "%s.expire: must be an RFC 3339 instant in UTC that exists, with seconds, ending in Z or +00:00, such as 2030-01-31T12:00:00Z" $label) -}}
{{- end -}}
{{- $count := 0 -}}
{{- range $entry.rule.targetNamespaces -}}
{{- $count = add $count (len .namespaceNames) -}}
{{- end -}}
{{- if gt (int $count) 500 -}}
{{- $faults = append $faults (printf "%s.rule.targetNamespaces: at most 500 namespace names in all selectors together; select by label instead" $label) -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{- /* Helm takes the chart's own Secret away once it is not made any more, also where a value names it. */ -}}
{{- define "quarterdeck.secretFaults" -}}
{{- $faults := list -}}
{{- $own := include "quarterdeck.ownSecret" . -}}
{{- range $value := list "apiKeys" "secretSettings" "kubeconfigs" "tls" "oidc" "serviceMonitor" -}}
{{- if eq $own (default "" (get (get $.Values $value) "secretName")) -}}
{{- $faults = append $faults (printf "%s.secretName: %s is the Secret that the chart makes itself: give yours another name" $value $own) -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{- define "quarterdeck.settingFaults" -}}
{{- $faults := list -}}
{{- $server := default dict .Values.settings.server -}}
{{- $cost := default dict .Values.settings.cost -}}
{{- $oidc := default dict .Values.settings.oidc -}}
{{- $addresses := dict "url" (default "" $cost.url) "usage" (default "" $cost.usage) -}}
{{- range $cluster, $source := $cost.usageByCluster -}}
{{- $_ := set $addresses (printf "usageByCluster.%s" $cluster) $source -}}
{{- end -}}
{{- range $name, $address := $addresses -}}
{{- if contains "@" $address -}}
{{- $faults = append $faults (printf "settings.cost.%s: holds a user or a password, which all who read ConfigMaps would see: put the address into a Secret as %s and name it by secretSettings.secretName" $name (ternary "QUARTERDECK_COST_URL" (ternary "QUARTERDECK_USAGE" "QUARTERDECK_USAGE_BY_CLUSTER" (eq $name "usage")) (eq $name "url"))) -}}
{{- end -}}
{{- end -}}
{{- if $oidc -}}
{{- range list "issuer" "clientId" "rules" -}}
{{- if not (get $oidc .) -}}
{{- $faults = append $faults (printf "settings.oidc.%s: is needed for people to sign in by OpenID Connect" .) -}}
{{- end -}}
{{- end -}}
{{- if not $server.publicUrl -}}
{{- $faults = append $faults "settings.server.publicUrl: is needed for people to sign in by OpenID Connect: the address that browsers reach the server at" -}}
{{- end -}}
{{- else if .Values.oidc.secretName -}}
{{- $faults = append $faults "oidc.secretName: is the client secret of a provider that settings.oidc does not name" -}}
{{- end -}}
{{- if .Values.serviceMonitor.enabled -}}
{{- $metrics := default "protected" $server.metrics -}}
{{- if eq $metrics "off" -}}
{{- $faults = append $faults "serviceMonitor.enabled: settings.server.metrics is off, so there is nothing to read" -}}
{{- else if and (eq $metrics "protected") (not .Values.serviceMonitor.secretName) -}}
{{- $faults = append $faults "serviceMonitor.secretName: is needed, a Secret with an Admin key without scope, since settings.server.metrics is protected; public lets everybody read them" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- $faults = append $faults "httpRoute.parentRefs: names no Gateway, so the route would serve nothing" -}}
{{- end -}}
{{- if and .Values.ingress.tlsSecretName (not .Values.ingress.host) -}}
{{- $faults = append $faults "ingress.host: is needed beside ingress.tlsSecretName: the name that the certificate is for" -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}
