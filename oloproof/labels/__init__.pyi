from .gathering import LabelledCase as LabelledCase, LabelSet as LabelSet, gather as gather
from .looks import validations_of as validations_of
from .validating import Bars as Bars, JudgedCase as JudgedCase, Validation as Validation, validate as validate
