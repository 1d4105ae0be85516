//! Words of languages without a list of pronouns, so that their texts are not mistaken for those of a language with a list.

/// Frequent pronouns of languages without a list, in lower case, including those that are also in a list. Similar languages
/// have one row. Languages that share few words with a list are left out: see `PronounCounts::language`.
pub(super) static OTHER_LANGUAGES: &[&str] = &[
    // Norwegian, Danish, Swedish
    "jeg jag eg du han hun hon ho den det dei vi dem meg mig deg dig seg sig oss os er henne honom ham sin sitt sit sina \
     sine hans hennes deres deras dette detta denne denna som man",
    // Dutch
    "ik je jij hij ze zij we wij het me mij hem haar ons hun hen zich zijn mijn die dat deze dit",
    // Portuguese, Catalan, Italian, Romanian
    "eu ele ela você eles elas me te nos os lo la los las les li si se lhe seu sua esta este esse essa isso que ell ells jo \
     tu em us io lui lei noi loro mi ti ci vi le suo sua suoi questo questa ea ei mă îl își lor s' l' meva seva seus seves \
     qui che",
    // Polish, Czech, Croatian, Serbian
    "ja já on ona my mě mi ti go ga ho mu jego jeho jej ją ji nas nás nám vás ich njih je im się se si svoj svůj swoje ten \
     tego który který koji",
    // Finnish
    "minä hän se me te he hänen hänet sen heidän",
    // Hungarian
    "én te ő mi ti ők engem őt ez az ezt azt",
    // Ukrainian, Bulgarian
    "я ти він вона ми ви мене мені його йому її їй нас нам вас їх їм свій це аз той тя те него нея ги го му им ми се си \
     това",
];
