# A question about policies, resolved: names and lists are written out.
sim check scenarios/what_if/advise_policies.yaml | sed -n '/^advice:/,$p'
